import { type Query, questionKeyOf } from './message.ts';

/**
 * The queries that this server itself has asked others, by id and question. One that comes in again has been led back
 * here: the agent's own packets are captured, or one of its upstreams is itself.
 */
export class OwnQueries {
  readonly #keys = new Map<string, number>();

  /** Until the returned function is called. */
  add(id: number, query: Query): () => void {
    const key = keyOf(id, query);
    this.#keys.set(key, (this.#keys.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#keys.get(key) ?? 1) - 1;
      if (left > 0) this.#keys.set(key, left);
      else this.#keys.delete(key);
    };
  }

  has(query: Query): boolean {
    return this.#keys.has(keyOf(query.id, query));
  }
}

function keyOf(id: number, query: Query): string {
  return `${id} ${questionKeyOf(query)}`;
}
