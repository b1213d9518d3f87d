import type { KeySetResult } from '../key-set.ts';
import { createKeySetResolver, type KeySetResolver } from '../resolve.ts';
import type { Transport, TransportAnswer } from '../transport.ts';
import { FakeClock } from './fake-clock.ts';
import { kidsOf } from './keys.ts';
import { type Recorder, recorder } from './recorder.ts';

/** A resolver in a world where time, chance, DNS and the other side do what a test says. */
export class StillWorld {
  readonly clock = new FakeClock();
  readonly heard: Recorder = recorder();
  /** The URLs asked for, in order. */
  readonly asked: string[] = [];
  readonly resolver: KeySetResolver;
  /** What the other side answers now. */
  answer: (url: URL, signal: AbortSignal) => Promise<TransportAnswer> | TransportAnswer;
  /** How long Envoy takes to accept keys; no time by default. */
  judgement: (keySet: string) => Promise<void> = async () => undefined;

  constructor(answer: StillWorld['answer']) {
    this.answer = answer;
    const transport: Transport = async ({ url }, _maxBytes, signal) => {
      this.asked.push(url.href);
      return this.answer(url, signal);
    };
    this.resolver = createKeySetResolver({
      observer: this.heard,
      clock: this.clock,
      transport,
      lookup: () => Promise.resolve(['1.1.1.1']),
      judgeKeys: async (keySet) => {
        await this.judgement(keySet);
        return undefined;
      },
    });
  }
}

/** An answer with status 200. */
export function ok(text: string): TransportAnswer {
  return { status: 200, body: Buffer.from(text) };
}

/** No answer until the caller gives up. */
export function hang(_url: URL, signal: AbortSignal): Promise<TransportAnswer> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** The `kid`s in force; none without a key set. */
export function kids(result: KeySetResult | undefined): readonly (string | undefined)[] {
  return result?.keySet === undefined ? [] : kidsOf(result.keySet.text);
}
