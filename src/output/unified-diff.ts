/** Lines of context around a change. */
const context = 3;
/** Edits after which a difference is shown as one block: the search costs the square of it. */
const maxEdits = 500;

interface Edit {
  readonly mark: ' ' | '-' | '+';
  readonly line: string;
}

/** Unified diff of two texts, empty when they are equal; a missing text is undefined, as `/dev/null`. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return '';
  const edits = editScript(lines(before), lines(after));
  const header = [
    `--- ${before === undefined ? '/dev/null' : `a/${path}`}`,
    `+++ ${after === undefined ? '/dev/null' : `b/${path}`}`,
  ];
  return `${[...header, ...hunks(edits)].join('\n')}\n`;
}

/** A last line without a newline keeps a mark, as in `diff`. */
function lines(text: string | undefined): string[] {
  if (text === undefined || text === '') return [];
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  else all[all.length - 1] += '\n\\ No newline at end of file';
  return all;
}

function editScript(a: readonly string[], b: readonly string[]): Edit[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return [
    ...a.slice(0, head).map((line): Edit => ({ mark: ' ', line })),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map((line): Edit => ({ mark: ' ', line })),
  ];
}

/** Myers, "An O(ND) difference algorithm and its variations", 1986: greedy search, then the way back. */
function middle(a: readonly string[], b: readonly string[]): Edit[] {
  const frontier = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let edits = 0; edits <= Math.min(a.length + b.length, maxEdits); edits++) {
    trace.push(new Map(frontier));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = reach(frontier, diagonal + 1);
      const right = reach(frontier, diagonal - 1);
      let x = diagonal === -edits || (diagonal !== edits && right < down) ? down : right + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      frontier.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return wayBack(a, b, trace);
    }
  }
  const removed = a.map((line): Edit => ({ mark: '-', line }));
  return [...removed, ...b.map((line): Edit => ({ mark: '+', line }))];
}

function reach(frontier: ReadonlyMap<number, number>, diagonal: number): number {
  return frontier.get(diagonal) ?? -1;
}

function wayBack(a: readonly string[], b: readonly string[], trace: readonly ReadonlyMap<number, number>[]): Edit[] {
  const edits: Edit[] = [];
  let x = a.length;
  let y = b.length;
  for (let step = trace.length - 1; step >= 0; step--) {
    const frontier = trace[step] ?? new Map<number, number>();
    const diagonal = x - y;
    const isDown =
      diagonal === -step || (diagonal !== step && reach(frontier, diagonal - 1) < reach(frontier, diagonal + 1));
    const previous = isDown ? diagonal + 1 : diagonal - 1;
    const previousX = step === 0 ? 0 : reach(frontier, previous);
    const previousY = step === 0 ? 0 : previousX - previous;
    while (x > previousX && y > previousY) edits.push({ mark: ' ', line: a[--x] ?? '' }) && y--;
    if (step === 0) break;
    if (isDown) edits.push({ mark: '+', line: b[--y] ?? '' });
    else edits.push({ mark: '-', line: a[--x] ?? '' });
  }
  return edits.reverse();
}

function hunks(edits: readonly Edit[]): string[] {
  const out: string[] = [];
  let before = 1;
  let after = 1;
  for (let at = 0; at < edits.length; ) {
    let next = at;
    while (next < edits.length && edits[next]?.mark === ' ') next++;
    if (next === edits.length) break;
    const start = Math.max(at, next - context);
    before += start - at;
    after += start - at;
    const end = endOfHunk(edits, next);
    const part = edits.slice(start, end);
    const removed = part.filter(({ mark }) => mark !== '+').length;
    const added = part.filter(({ mark }) => mark !== '-').length;
    out.push(`@@ -${range(before, removed)} +${range(after, added)} @@`);
    for (const { mark, line } of part) out.push(mark + line);
    before += removed;
    after += added;
    at = end;
  }
  return out;
}

/** Changes that share context lines share a hunk. */
function endOfHunk(edits: readonly Edit[], firstChange: number): number {
  let last = firstChange;
  for (let index = firstChange; index < edits.length && index - last <= 2 * context; index++) {
    if (edits[index]?.mark !== ' ') last = index;
  }
  return Math.min(edits.length, last + context + 1);
}

function range(start: number, length: number): string {
  return length === 1 ? String(start) : `${length === 0 ? start - 1 : start},${length}`;
}
