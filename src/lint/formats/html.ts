import type { LintReport, ReportedFinding } from '../report.ts';
import { escapeMarkup } from './markup.ts';
import { formatCounts, formatNotChecked } from './summary.ts';

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
article{border-left:4px solid #888;padding:.2rem 1rem;margin:1.2rem 0}article.error{border-color:#c1121f}article.warning{border-color:#b7791f}
h2{font-size:1rem;margin:.2rem 0}pre{background:#f3f4f6;padding:.5rem;overflow:auto}.place{color:#57606a;font-family:monospace}
@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}pre{background:#161b22}.place{color:#8b949e}}`;

/** One file that needs nothing else; a browser runs nothing of it. */
export function formatHtml(report: LintReport): string {
  const lines = [formatCounts(report), ...formatNotChecked(report)].map((line) => `<p>${escapeMarkup(line)}</p>\n`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>meshpol lint</title>
<style>${style}</style>
</head>
<body>
<h1>meshpol lint</h1>
${lines.join('')}${report.findings.map(article).join('')}</body>
</html>
`;
}

function article({ placed }: ReportedFinding): string {
  const { code, severity, message, place, why, hint, related } = placed;
  const at = place === undefined ? '' : `<div class="place">${position(place)}</div>\n`;
  const line = place?.lineText?.trim() ? `<pre>${escapeMarkup(place.lineText)}</pre>\n` : '';
  const others = related.map(
    (other) => `<li>${escapeMarkup(other.message)}: <span class="place">${position(other.place)}</span></li>`,
  );
  return `<article class="${severity}">
<h2>${severity}: ${escapeMarkup(message)} [${escapeMarkup(code)}]</h2>
${at}${line}${why === undefined ? '' : `<p>Why: ${escapeMarkup(why)}</p>\n`}${hint === undefined ? '' : `<p>What to do: ${escapeMarkup(hint)}</p>\n`}${others.length === 0 ? '' : `<ul>${others.join('')}</ul>\n`}</article>
`;
}

function position({ file, start }: NonNullable<ReportedFinding['placed']['place']>): string {
  return escapeMarkup(`${file}:${start.line}:${start.column}`);
}
