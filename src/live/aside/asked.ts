import type { MessagePort } from 'node:worker_threads';
import type { JwtRule } from '../../policy/request-authentication.ts';
import type { RemoteKeySets } from '../key-sets/gather.ts';
import type { Answer, FromThread, KeyAnswer, KeyRule, Question } from './messages.ts';

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** Questions to the agent's own thread, one at a time. */
export class Asked {
  readonly #port: MessagePort;
  #waiting: Waiting | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  /** Addresses that the machine has. */
  async addresses(): Promise<readonly string[]> {
    const answer = await this.#ask({ name: 'addresses' });
    return answer.name === 'addresses' ? answer.addresses : mixedUp('addresses', answer);
  }

  /** Has the keys of these rules kept at hand, of no others; one answer a rule. */
  async keys(rules: readonly KeyRule[]): Promise<readonly KeyAnswer[]> {
    const answer = await this.#ask({ name: 'keys', rules });
    return answer.name === 'keys' ? answer.keys : mixedUp('keys', answer);
  }

  /** Why Envoy does not take a key set; undefined when it does. */
  async judge(keys: string): Promise<string | undefined> {
    const answer = await this.#ask({ name: 'judge', keys });
    return answer.name === 'judge' ? answer.refusal : mixedUp('judge', answer);
  }

  answer(answer: Answer): void {
    this.#settle()?.resolve(answer);
  }

  fail(error: Error): void {
    this.#settle()?.reject(error);
  }

  #ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#waiting !== undefined) throw new Error(`"${question.name}" is asked before the last answer came`);
      this.#waiting = { resolve, reject };
      const message: FromThread = { type: 'question', question };
      this.#port.postMessage(message);
    });
  }

  #settle(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}

function mixedUp(asked: string, { name }: Answer): never {
  throw new Error(`the question "${asked}" got the answer of "${name}"`);
}

/** The keys that the agent's main thread has fetched and sent to this thread. */
export class AskedKeySets implements RemoteKeySets {
  readonly #asked: Asked;
  #answers: ReadonlyMap<string, KeyAnswer> = new Map();

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  async fetch(rules: readonly JwtRule[]): Promise<void> {
    const wanted = new Map(rules.map((rule) => [keyOf(rule), sentOf(rule)]));
    const answers = await this.#asked.keys([...wanted.values()]);
    this.#answers = new Map([...wanted.keys()].map((key, i) => [key, answers[i] ?? notYet]));
  }

  find(rule: JwtRule): KeyAnswer {
    return this.#answers.get(keyOf(rule)) ?? notYet;
  }
}

const notYet: KeyAnswer = { reason: 'they are still being fetched' };

/** What says where the keys are, and no more: a rule may hold key sets of any length. */
function sentOf({ issuer, jwksUri, timeout }: JwtRule): KeyRule {
  return { ...(issuer ? { issuer } : {}), ...(jwksUri ? { jwksUri } : {}), ...(timeout ? { timeout } : {}) };
}

function keyOf(rule: JwtRule): string {
  return JSON.stringify(sentOf(rule));
}
