import {
  type CoveragePlace,
  countCoverage,
  coverageGroups,
  percentText,
  unseenSides,
} from '../suite/coverage/place.ts';
import type { CoverageReport } from '../suite/coverage/report.ts';
import { byFile, byLine } from './coverage-forms.ts';
import { placeName, unseenText } from './coverage-text.ts';

type Escape = (text: string) => string;

/** One page without references to others: the counts, and each file with a mark at every line that has something to cover. */
export function formatCoverageHtml({ places, texts }: CoverageReport, escapeMarkup: Escape): string {
  const counts = countCoverage(places);
  const rows = coverageGroups.map((group) => {
    const { covered, total } = counts[group];
    return `<tr><td>${group}</td><td>${covered} of ${total}</td><td>${percentText(counts[group])}</td></tr>`;
  });
  const files = [...byFile(places)].map(([file, own]) => fileSection(file, texts.get(file), own, escapeMarkup));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Coverage of policies</title>
<style>${style}</style>
</head>
<body>
<h1>Coverage of policies</h1>
<table>
${rows.join('\n')}
</table>
${files.join('\n')}
</body>
</html>
`;
}

const style = `
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; color: #1b1b1b; background: #fff }
table { border-collapse: collapse }
td { padding: 0.1rem 1rem 0.1rem 0 }
pre { line-height: 1.4; overflow-x: auto }
pre > span { display: block; padding: 0 0.5rem; border-left: 0.4rem solid transparent }
.covered { background: #e3f4e3; border-color: #2c7a2c !important }
.partly { background: #fdf3d0; border-color: #a06a00 !important }
.missed { background: #fbe3e3; border-color: #b3261e !important }
.number { display: inline-block; width: 4ch; color: #666; user-select: none }
ul { margin: 0 0 0 4ch; padding-left: 1.5rem; white-space: normal; font-family: system-ui, sans-serif }
`;

function fileSection(
  file: string,
  text: string | undefined,
  places: readonly CoveragePlace[],
  escapeMarkup: Escape,
): string {
  const marked = byLine(places);
  const lines = (text ?? '').replace(/\r?\n$/, '').split(/\r?\n/);
  const shown = lines.map((line, i) => lineElement(i + 1, line, marked.get(i + 1) ?? [], escapeMarkup));
  return `<h2>${escapeMarkup(file)}</h2>\n<pre>${shown.join('')}</pre>`;
}

function lineElement(number: number, line: string, places: readonly CoveragePlace[], escapeMarkup: Escape): string {
  const open = places.filter((place) => unseenSides(place).length > 0);
  const notes = open.map((place) => `<li>${escapeMarkup(`${placeName(place)}: ${unseenText(place)}`)}</li>`).join('');
  const list = notes === '' ? '' : `<ul>${notes}</ul>`;
  return `<span${classOf(places)}><span class="number">${number}</span>${escapeMarkup(line)}${list}</span>`;
}

/** Words for what colours show stand in the notes. */
function classOf(places: readonly CoveragePlace[]): string {
  if (places.length === 0) return '';
  if (places.every((place) => unseenSides(place).length === 0)) return ' class="covered"';
  const isSeen = places.some(({ seen }) => Object.values(seen).some((count) => count > 0));
  return isSeen ? ' class="partly"' : ' class="missed"';
}
