const width = 340;
const gap = 60;
const margin = 20;
const lineHeight = 18;
const padding = 10;
const charactersPerLine = 42;

/** One box of a picture: its lane, counted from 0, and its lines. */
interface Step {
  readonly lane: number;
  /** No arrow leads to it. */
  readonly isFirst: boolean;
  readonly lines: readonly string[];
}

/**
 * An SVG of steps in lanes, from the top down, with an arrow from each to the next. The text has a line `title: …`, a line
 * `lanes: A | B`, then one line a step, `1: …` for the first lane. After an empty line no arrow leads to the step.
 */
export function picture(source: string): string {
  const lines = source.trim().split('\n');
  const title = fieldOf(lines, 'title');
  const lanes = fieldOf(lines, 'lanes').split(' | ');
  const steps = lines.flatMap((line, i): Step[] => {
    const [, lane, text = ''] = /^(\d): (.*)$/.exec(line) ?? [];
    return lane === undefined ? [] : [{ lane: Number(lane) - 1, isFirst: lines[i - 1] === '', lines: wrapped(text) }];
  });
  const parts: string[] = lanes.map((lane, i) => text(centre(i), 50, lane, 'font-weight="bold"'));
  let y = 70;
  for (const [i, step] of steps.entries()) {
    const height = step.lines.length * lineHeight + 2 * padding;
    parts.push(box(step, y, height));
    const next = steps[i + 1];
    if (next?.isFirst === false) parts.push(arrow(step, next, y, height));
    y += height + 24;
  }
  const total = lanes.length * width + (lanes.length - 1) * gap + 2 * margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${total} ${y}" font-family="sans-serif" font-size="14">
<title>${escaped(title)}</title>
<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#555"/></marker></defs>
<rect width="${total}" height="${y}" fill="#fff"/>
${text(total / 2, 24, title, 'font-size="16"')}
${parts.join('\n')}
</svg>
`;
}

function fieldOf(lines: readonly string[], key: string): string {
  const line = lines.find((one) => one.startsWith(`${key}: `));
  if (line === undefined) throw new Error(`a picture without a line "${key}: …"`);
  return line.slice(key.length + 2);
}

function wrapped(sentence: string): string[] {
  const lines: string[] = [''];
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + word.length < charactersPerLine) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function left(lane: number): number {
  return margin + lane * (width + gap);
}

function centre(lane: number): number {
  return left(lane) + width / 2;
}

function box({ lane, lines }: Step, y: number, height: number): string {
  const rect = `<rect x="${left(lane)}" y="${y}" width="${width}" height="${height}" rx="6" fill="#eef3fa" stroke="#456"/>`;
  return [rect, ...lines.map((line, i) => text(centre(lane), y + padding + 13 + i * lineHeight, line))].join('\n');
}

function arrow(from: Step, to: Step, y: number, height: number): string {
  const end = y + height + 22;
  const path =
    from.lane === to.lane
      ? `M${centre(from.lane)},${y + height} L${centre(to.lane)},${end}`
      : `M${centre(from.lane)},${y + height} v11 H${centre(to.lane)} V${end}`;
  return `<path d="${path}" fill="none" stroke="#555" marker-end="url(#tip)"/>`;
}

function text(x: number, y: number, words: string, more = ''): string {
  return `<text x="${x}" y="${y}" text-anchor="middle"${more === '' ? '' : ` ${more}`}>${escaped(words)}</text>`;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
