import type { MessagePort } from 'node:worker_threads';
import type { JwtRule } from '../../policy/request-authentication.ts';
import type { AgentKeySets } from '../proxy-inputs.ts';
import type { FromThread, KeyAnswer, Question } from './messages.ts';

/** Questions to the agent's own thread, one at a time. */
export class Asked {
  readonly #port: MessagePort;
  #waiting: { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void } | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  ask(question: Question): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      const message: FromThread = { type: 'question', question };
      this.#port.postMessage(message);
    });
  }

  answer(value: unknown): void {
    this.#waiting?.resolve(value);
  }

  fail(error: Error): void {
    this.#waiting?.reject(error);
  }
}

/** Keys are fetched by the agent's own thread; here is what it told. */
export class AskedKeySets implements AgentKeySets {
  readonly #asked: Asked;
  readonly #rules = new Map<string, JwtRule>();
  #answers = new Map<string, KeyAnswer>();

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  find({ issuer, jwksUri, timeout }: JwtRule): KeyAnswer {
    const rule = { ...(issuer && { issuer }), ...(jwksUri && { jwksUri }), ...(timeout && { timeout }) } as JwtRule;
    const key = JSON.stringify(rule);
    this.#rules.set(key, rule);
    return this.#answers.get(key) ?? { reason: 'they are still being fetched' };
  }

  renew(): void {
    this.#rules.clear();
  }

  async settle(): Promise<void> {
    const keys = [...this.#rules.keys()];
    const answers = (await this.#asked.ask({ name: 'keys', rules: [...this.#rules.values()] })) as KeyAnswer[];
    this.#answers = new Map(keys.flatMap((key, i) => (answers[i] === undefined ? [] : [[key, answers[i]]])));
  }
}
