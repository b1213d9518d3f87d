// The program of the thread that judges and changes objects before an API server stores them.

import { parentPort, workerData } from 'node:worker_threads';
import type { AdmissionData, AdmissionQuestion, FromAdmission, ToAdmission } from './admission-messages.ts';
import { readReview } from './admission-review.ts';
import { answerReview, type Rule } from './answer-review.ts';
import { PodInjector } from './inject-pod.ts';
import { judgeObject } from './judge-object.ts';

if (parentPort === null) throw new Error('this program is a thread of meshd, and does nothing by itself');
const port = parentPort;
const { revision } = workerData as AdmissionData;
const injector = new PodInjector();

port.on('message', (message: ToAdmission) => {
  if ('question' in message) {
    answer(message.question);
    return;
  }
  const problem = injector.use(message.settings);
  if (problem !== undefined) tell({ refusedSettings: problem });
});

function answer({ id, webhook, text, location, namespaceLabels }: AdmissionQuestion): void {
  const review = webhook === 'inject' && namespaceLabels === undefined ? readReview(text) : undefined;
  if (typeof review === 'object') {
    tell({ id, wants: review.request.namespace ?? '' });
    return;
  }
  const rule: Rule = (request) =>
    webhook === 'validate' ? judgeObject(request, revision) : injector.rule(request, namespaceLabels ?? {}, location);
  tell({ id, reply: answerReview(rule, text) });
}

function tell(message: FromAdmission): void {
  port.postMessage(message);
}
