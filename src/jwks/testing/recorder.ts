import type { KeySetObserver } from '../key-set.ts';

/** An observer that writes down what it hears, one word or two a line. */
export interface Recorder extends KeySetObserver {
  readonly lines: string[];
  /** How often a line begins so. */
  count(start: string): number;
}

export function recorder(): Recorder {
  const lines: string[] = [];
  const note = (line: string, code: string | undefined): void => void lines.push(code ? `${line} ${code}` : line);
  return {
    lines,
    count: (start) => lines.filter((line) => line.startsWith(start)).length,
    onRequest: () => note('request', undefined),
    onRetry: () => note('retry', undefined),
    onDownload: (_source, fault) => note('download', fault?.code ?? 'ok'),
    onRequestEnd: (_source, latencyMs, fault) =>
      note(`end ${latencyMs >= 0 ? '' : 'negative '}${fault ? 'fail' : 'ok'}`, fault?.code),
    onChange: (_source, { keySet, fault }) =>
      note('change', keySet === undefined ? `none ${fault.code}` : keySet.digest.slice(0, 8)),
    onFault: (_source, { code }) => note('fault', code),
  };
}
