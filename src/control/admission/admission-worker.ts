// The program of the thread that judges and changes objects before an API server stores them.

import { parentPort, workerData } from 'node:worker_threads';
import type { AdmissionData, ToAdmission } from './admission-messages.ts';
import { Reviewer } from './reviewer.ts';
import { WarmUp } from './warm-up.ts';

if (parentPort === null) throw new Error('this program is a thread of meshd, and does nothing by itself');
const port = parentPort;
const reviewer = new Reviewer(workerData as AdmissionData);

const warmUp = new WarmUp((question) => void reviewer.take({ question }));

/** Of all messages until now: each is taken after the one before it, whose check of keys may wait. */
let taken = Promise.resolve();

async function take(message: ToAdmission): Promise<void> {
  const said = await reviewer.take(message);
  if (said !== undefined) port.postMessage(said);
  else if ('settings' in message) warmUp.begin();
}

port.on('message', (message: ToAdmission) => {
  taken = taken.then(() => take(message));
});
