import type {
  AdmissionData,
  AdmissionQuestion,
  FromAdmission,
  NamespaceTexts,
  ToAdmission,
} from './admission-messages.ts';
import { type AdmissionReview, isOnlyAdvised, readReview } from './admission-review.ts';
import { adviseOnObject, isUnadvised } from './advise-on-object.ts';
import { answerReview } from './answer-review.ts';
import type { Findings } from './findings.ts';
import { PodInjector } from './inject-pod.ts';
import { judgeObject } from './judge-object.ts';

/** Characters of a review that is only advised. One of as many keeps the thread, which policies wait for, for a tenth of a second. */
const longestAdvised = 100_000;

/** Judges and changes objects by the settings and the labels of namespaces that it was told last. */
export class Reviewer {
  readonly #data: AdmissionData;
  readonly #injector = new PodInjector();
  #namespaces = new Map<string, NamespaceTexts>();
  /** By question, of those that come back with what was missing. */
  readonly #findings = new Map<number, Findings>();

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

  async #answer(question: AdmissionQuestion): Promise<FromAdmission> {
    const { id, webhook, text, location, namespaceLabels } = question;
    const review = readReview(text);
    if (typeof review !== 'string' && isOnlyAdvised(review.request)) return this.#advise(question, review);
    if (webhook === 'validate' || typeof review === 'string')
      return { id, reply: await answerReview((request) => judgeObject(request, this.#data), review) };
    const namespace = review.request.namespace ?? '';
    const labels = this.#namespaces.get(namespace) ?? namespaceLabels;
    if (labels === undefined) return { id, wants: namespace };
    return { id, reply: await answerReview((request) => this.#injector.rule(request, labels, location), review) };
  }

  async #advise(question: AdmissionQuestion, review: AdmissionReview): Promise<FromAdmission> {
    const { id, text, wasPutOff = false } = question;
    const serving = text.length > longestAdvised ? 'unknown' : question.serving;
    const findings = this.#findings.get(id);
    this.#findings.delete(id);
    let first: FromAdmission | undefined;
    const reply = await answerReview(async (request) => {
      if (serving === undefined && !wasPutOff && !isUnadvised(request, this.#data)) {
        first = { id, canWait: true };
        return { isAllowed: true };
      }
      const advice = await adviseOnObject(request, this.#data, { serving, findings });
      if ('isAllowed' in advice) return advice;
      this.#findings.set(id, advice.findings);
      first = { id, missing: advice.missing };
      return { isAllowed: true };
    }, review);
    return first ?? { id, reply };
  }
}
