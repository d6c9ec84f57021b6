'use strict';
/* Comforts only: everything on the page is there without this script. */
(function () {
  const $ = (q) => document.querySelector(q);
  const all = (q) => [...document.querySelectorAll(q)];

  /* heat map: arrow keys move between cells, the sentence of a cell stands beside it */
  const readout = $('#readout');
  const cells = all('.heat [data-say]');
  const at = new Map(cells.map((c) => [c.dataset.row + ' ' + c.dataset.column, c]));
  const steps = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
  const say = (cell) => { if (readout) { readout.textContent = cell.dataset.say; } };
  if (readout && cells.length) { readout.hidden = false; }
  cells.forEach((cell) => {
    cell.addEventListener('mouseenter', () => say(cell));
    cell.addEventListener('focus', () => say(cell));
    cell.addEventListener('keydown', (event) => {
      const step = steps[event.key];
      if (!step) { return; }
      const next = at.get(Number(cell.dataset.row) + step[0] + ' ' + (Number(cell.dataset.column) + step[1]));
      if (!next) { return; }
      event.preventDefault();
      cell.setAttribute('tabindex', '-1');
      next.setAttribute('tabindex', '0');
      next.focus();
    });
  });

  /* copy the commands */
  const copy = $('#copy'), commands = $('#commands'), copied = $('#copied');
  if (copy && commands) {
    copy.hidden = false;
    copy.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(commands.textContent);
        copied.textContent = 'Copied.';
      } catch (error) {
        getSelection().selectAllChildren(commands);
        copied.textContent = 'Selected: press Ctrl+C.';
      }
    });
  }

  /* on paper everything is open */
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = all('details:not([open])');
    closed.forEach((d) => { d.open = true; });
  });
  addEventListener('afterprint', () => closed.forEach((d) => { d.open = false; }));

  /* where we are */
  if ('IntersectionObserver' in window) {
    const links = all('nav a');
    const seen = new IntersectionObserver((entries) => entries.forEach((entry) => {
      if (!entry.isIntersecting) { return; }
      links.forEach((l) => l.removeAttribute('aria-current'));
      const link = links.find((l) => l.hash === '#' + entry.target.id);
      if (link) { link.setAttribute('aria-current', 'true'); }
    }), {rootMargin: '-20% 0px -70% 0px'});
    all('main > [id]').forEach((s) => seen.observe(s));
  }
})();
