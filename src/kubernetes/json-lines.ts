import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { KubernetesError } from './kubernetes-error.ts';

/** An object of etcd has at most 1.5 MiB, as JSON a little more. */
const longestLine = 16 << 20;

/**
 * Reads a stream of JSON values, one per line. A line that does not parse, a line without an end, and a stream that ends
 * within a line are errors, because their content would be lost.
 */
export async function* readJsonLines(stream: Readable): AsyncGenerator<unknown> {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const lines = decoder.write(chunk).split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      const whole = parts.join('') + line;
      parts = [];
      length = 0;
      if (whole.trim() !== '') yield parse(whole);
    }
    parts.push(last);
    length += last.length;
    if (length > longestLine)
      throw new KubernetesError('api-answer-unusable', `an event has more than ${longestLine} letters`);
  }
  if (parts.join('').trim() !== '')
    throw new KubernetesError('api-answer-unusable', 'the stream of events ends within one');
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new KubernetesError('api-answer-unusable', 'an event is not JSON');
  }
}
