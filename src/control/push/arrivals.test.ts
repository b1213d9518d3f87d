import { describe, expect, test } from 'vitest';
import { Arrivals } from './arrivals.ts';

/** Asks for turns, and notes who has one. */
class Asking {
  readonly #arrivals: Arrivals;
  readonly begun: string[] = [];
  readonly refused: string[] = [];
  readonly #ends = new Map<string, () => void>();

  constructor(together: number) {
    this.#arrivals = new Arrivals(together);
  }

  async ask(identity: string, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      const name = `${identity}${i}`;
      void this.#arrivals.turn(identity).then((end) => {
        if (end === undefined) this.refused.push(name);
        else {
          this.begun.push(name);
          this.#ends.set(name, end);
        }
      });
    }
    await settled();
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await settled();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Arrivals', () => {
  test('read at most 8 first requests of one identity at once, and those of another one beside them', async () => {
    const asking = new Asking(32);
    await asking.ask('a', 10);
    await asking.ask('b', 1);
    expect(asking.begun).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'b0']);
    await asking.end('a3');
    expect(asking.begun.at(-1)).toBe('a8');
  });

  test('give turns to identities one after the other while there is no room for all', async () => {
    const asking = new Asking(2);
    await asking.ask('a', 5);
    await asking.ask('b', 2);
    await asking.ask('c', 1);
    for (const name of ['a0', 'a1', 'b0', 'c0']) await asking.end(name);
    expect(asking.begun).toEqual(['a0', 'a1', 'a2', 'b0', 'c0', 'a3']);
  });

  test('refuse an identity of which 250 wait, and a turn that ends twice frees one place', async () => {
    const asking = new Asking(2);
    await asking.ask('a', 253);
    expect(asking.refused).toEqual(['a252']);
    await asking.end('a0');
    await asking.end('a0');
    expect(asking.begun).toEqual(['a0', 'a1', 'a2']);
    await asking.ask('b', 1);
    expect(asking.refused).toEqual(['a252']);
  });

  test('let other work of the process have its turn between two first requests that have come already', async () => {
    const arrivals = new Arrivals(1);
    const order: string[] = [];
    const turns = ['a', 'b', 'c'].map((identity) =>
      arrivals.turn(identity).then((end) => {
        order.push(identity);
        setImmediate(() => order.push(`after ${identity}`));
        end?.();
      }),
    );
    await Promise.all(turns);
    await settled();
    expect(order).toEqual(['a', 'after a', 'b', 'after b', 'c', 'after c']);
  });
});
