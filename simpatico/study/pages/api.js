// Requests to the server. The token stands behind the # of a personal link: browsers do not send
// that part, so it is in no log; it travels in a header, so no other site can make us send it.

export class Offline extends Error {}

export class Refused extends Error {
  constructor(status, body) {
    super(body.problem || `status ${status}`);
    this.status = status;
    this.body = body;
  }
}

// a platform may append its parameters behind the #
const token = () => location.hash.slice(1).split(/[?&]/)[0];

export const hasToken = () => token().length > 0;

export async function request(path, body) {
  const headers = { Authorization: `Bearer ${token()}` };
  const options = body === undefined ? { headers } : {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  let response;
  try {
    response = await fetch(`/api/${path}`, { ...options, cache: "no-store" });
  } catch {
    throw new Offline();
  }
  if (response.status === 503 || response.status === 408) throw new Offline();
  if (!response.ok) throw new Refused(response.status, await response.json().catch(() => ({})));
  return response;
}

export const call = async (path, body) => (await request(path, body)).json();

// The pieces of a streamed answer, one JSON object a line.
export async function* lines(path, body) {
  const response = await request(path, body);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch {
      throw new Offline();
    }
    if (part.done) break;
    const parts = (rest + part.value).split("\n");
    rest = parts.pop();
    for (const line of parts) if (line) yield JSON.parse(line);
  }
}
