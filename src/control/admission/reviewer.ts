import type {
  AdmissionData,
  AdmissionQuestion,
  FromAdmission,
  NamespaceTexts,
  ToAdmission,
} from './admission-messages.ts';
import { readReview } from './admission-review.ts';
import { answerReview } from './answer-review.ts';
import { PodInjector } from './inject-pod.ts';
import { judgeObject } from './judge-object.ts';

/** Judges and changes objects by the settings and the labels of namespaces that it was told last. */
export class Reviewer {
  readonly #data: AdmissionData;
  readonly #injector = new PodInjector();
  #namespaces = new Map<string, NamespaceTexts>();

  constructor(data: AdmissionData) {
    this.#data = data;
  }

  /** What is to be said to a message; undefined: nothing. The next message is to wait until this is known. */
  async take(message: ToAdmission): Promise<FromAdmission | undefined> {
    if ('question' in message) return this.#answer(message.question);
    if ('namespaces' in message) this.#namespaces = new Map(message.namespaces);
    else if ('namespace' in message) this.#learn(message.namespace, message.labels);
    else {
      const problem = this.#injector.use(message.settings);
      if (problem !== undefined) return { refusedSettings: problem };
    }
    return undefined;
  }

  #learn(namespace: string, labels: NamespaceTexts | undefined): void {
    if (labels === undefined) this.#namespaces.delete(namespace);
    else this.#namespaces.set(namespace, labels);
  }

  async #answer({ id, webhook, text, location, namespaceLabels }: AdmissionQuestion): Promise<FromAdmission> {
    const review = readReview(text);
    if (webhook === 'validate' || typeof review === 'string')
      return { id, reply: await answerReview((request) => judgeObject(request, this.#data), review) };
    const namespace = review.request.namespace ?? '';
    const labels = this.#namespaces.get(namespace) ?? namespaceLabels;
    if (labels === undefined) return { id, wants: namespace };
    return { id, reply: await answerReview((request) => this.#injector.rule(request, labels, location), review) };
  }
}
