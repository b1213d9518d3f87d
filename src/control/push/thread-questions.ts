const deadlineMs = 10_000;

/** Asks the compile thread questions, which it answers between two compilations. */
export class ThreadQuestions {
  readonly #waiting = new Map<number, (answer: never) => void>();
  #last = 0;

  /** Asks under a number that the answer has; throws when none comes: the thread compiles, or is started again. */
  ask<T>(post: (id: number) => void): Promise<T> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`the thread that compiles gave no answer within ${deadlineMs / 1_000} seconds`));
      }, deadlineMs);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      post(id);
    });
  }

  answer(id: number, answer: unknown): void {
    this.#waiting.get(id)?.(answer as never);
    this.#waiting.delete(id);
  }
}
