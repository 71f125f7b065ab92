"""The frame of every HTML page that is written: one file that loads nothing, and that no browser lets load anything."""

from __future__ import annotations

from string import Template

_DOCUMENT = Template("""<!DOCTYPE html>
<html lang="en"$kind>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>$title</title>
<style>$style</style>
</head>
<body>
$body
<script>$script</script>
</body>
</html>
""")


def document(title: str, *, style: str, body: str, script: str, kind: str = "") -> str:
    """Return a page of these parts, all of them HTML, CSS or JavaScript already; `kind` is the class of the whole.

    >>> document("A page", style="", body="<p>Words.</p>", script="").splitlines()[0]
    '<!DOCTYPE html>'
    """
    of_kind = f' class="{kind}"' if kind else ""
    return _DOCUMENT.substitute(title=title, style=style, body=body, script=script, kind=of_kind)
