// The program of the thread that judges and changes objects before an API server stores them.

import { parentPort, workerData } from 'node:worker_threads';
import type { AdmissionData, ToAdmission } from './admission-messages.ts';
import { Reviewer } from './reviewer.ts';
import { WarmUp } from './warm-up.ts';

if (parentPort === null) throw new Error('this program is a thread of meshd, and does nothing by itself');
const port = parentPort;
const reviewer = new Reviewer((workerData as AdmissionData).revision);

const warmUp = new WarmUp((question) => void reviewer.take({ question }));

port.on('message', (message: ToAdmission) => {
  const said = reviewer.take(message);
  if (said !== undefined) port.postMessage(said);
  else if ('settings' in message) warmUp.begin();
});
