/** One part of a merged answer, in Prometheus' text format 0.0.4. */
export type MetricsText = Buffer;

const newline = 0x0a;

/** One text of several: each part ends with one line end, so that no line of two parts runs together. */
export function joinMetrics(parts: readonly MetricsText[]): Buffer {
  const end = Buffer.from('\n');
  return Buffer.concat(parts.flatMap((part) => (part.length === 0 || part.at(-1) === newline ? [part] : [part, end])));
}

/**
 * The agent's families without those that `others` have too: an application owns its names, and a family that is told
 * twice breaks the whole scrape. Gives the names that were left out as well.
 */
export function withoutCollisions(
  own: string,
  others: readonly MetricsText[],
): { readonly text: string; readonly removed: readonly string[] } {
  const families = splitFamilies(own);
  const names = [...families.keys()].filter((name) => name !== '');
  if (names.length === 0) return { text: own, removed: [] };
  const spelled = new RegExp(`^(?:# (?:TYPE|HELP) )?(${names.join('|')})(?:_bucket|_sum|_count|_total)?[ {]`, 'gm');
  const taken = new Set<string>();
  for (const other of others) for (const [, name = ''] of other.toString('latin1').matchAll(spelled)) taken.add(name);
  const kept = [...families].filter(([name]) => !taken.has(name)).map(([, text]) => text);
  return { text: kept.join(''), removed: [...taken].sort() };
}

/** The text of each family, by its name: what follows its first line of HELP or TYPE. */
function splitFamilies(text: string): ReadonlyMap<string, string> {
  const families = new Map<string, string>();
  let name = '';
  for (const line of text.split(/(?<=\n)/)) {
    name = /^# (?:HELP|TYPE) (\w+)/.exec(line)?.[1] ?? name;
    families.set(name, (families.get(name) ?? '') + line);
  }
  return families;
}

/** A comment, nothing, or `name{labels} value [milliseconds]`; written so that no line makes the search go back. */
const plainLine =
  /^[ \t]*(?:#.*)?\r?$|^[a-zA-Z_:][\w:]*[ \t]*(?:\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\})?[ \t]+[^\s#]+(?:[ \t]+-?\d+)?[ \t]*\r?$/;
/** Far above what labels hold, and far below what a regular expression has room for. */
const maxLineLength = 65_536;

/** Whether a text is in the form 0.0.4: one line that is not, of a page of HTML say, breaks the whole scrape. */
export function isPlainMetrics(text: string): boolean {
  return text.split('\n').every((line) => line.length <= maxLineLength && plainLine.test(line));
}

/**
 * OpenMetrics as text 0.0.4, for applications that give it without having been asked: a mixed answer is one that no parser
 * takes (https://prometheus.io/docs/specs/om/open_metrics_spec/). The mark of the end, units and exemplars fall away,
 * timestamps become milliseconds, types get the older words and the names that their samples have.
 */
export function plainFromOpenMetrics(text: string): string {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (line === '# EOF' || line.startsWith('# UNIT ') || line === '') continue;
    const [, keyword, name = '', rest = ''] = /^# (TYPE|HELP) (\S+) ?(.*)$/.exec(line) ?? [];
    if (keyword === 'TYPE') lines.push(`# TYPE ${olderType(name, rest)}`);
    // Without its type's suffix the name would belong to no sample; help is for people, and they find the type.
    else if (keyword !== 'HELP') lines.push(plainSample(line));
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function olderType(name: string, type: string): string {
  switch (type) {
    case 'counter':
      return `${name}_total counter`;
    case 'info':
      return `${name}_info gauge`;
    case 'gauge':
    case 'histogram':
    case 'summary':
      return `${name} ${type}`;
    case 'stateset':
      return `${name} gauge`;
    default:
      return `${name} untyped`;
  }
}

/** `name{labels} value [seconds] [# exemplar]`; a label's value may hold anything, escaped. */
const sample = /^([^\s{]+(?:\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\})?) (\S+)(?: (-?[\d.eE+-]+))?(?: # .*)?$/;

function plainSample(line: string): string {
  const [, series, value, seconds] = sample.exec(line) ?? [];
  if (series === undefined) return line;
  return `${series} ${value}${seconds === undefined ? '' : ` ${Math.round(Number(seconds) * 1_000)}`}`;
}
