/**
 * Acts on messages in their order. What a message makes to do may be put off to a later task of the event loop, so that
 * proxies are served in between; messages that come meanwhile wait for it.
 */
export class MessageTurns<Message> {
  readonly #act: (message: Message) => void;
  /** Undefined: nothing is left of the message before. */
  #waiting: Message[] | undefined;

  constructor(act: (message: Message) => void) {
    this.#act = act;
  }

  take(message: Message): void {
    if (this.#waiting === undefined) this.#act(message);
    else this.#waiting.push(message);
  }

  /** What is left to do of the message of now is done in a task of its own; messages that come until then wait. */
  later(rest: () => void): void {
    this.#waiting = [];
    setImmediate(() => {
      rest();
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      for (const message of waiting) this.take(message);
    });
  }
}
