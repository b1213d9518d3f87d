import { message } from '../message.ts';
import { error, warning } from './entry.ts';

/** Faults of pods that are to be injected, and of what is injected. */
export const injectionCodes = {
  'foreign-injection': error(
    message`the pod has the annotation "${'annotation'}", which this program did not write: ${'why'}`,
    'take the other proxy out first, with the program that injected it, or remove the annotation',
  ),
  'injection-template': error(
    message`injection template "${'name'}": ${'reason'}`,
    'see docs/reference/injection.md for what a template may say',
  ),
  'injection-word': warning(
    message`"${'key'}" is "${'value'}", expected "true" or "false": the pod gets no proxy`,
    'write "true" for a proxy, or "false"',
  ),
  'invalid-injection-annotation': error(
    message`annotation "${'annotation'}" is "${'value'}", expected ${'expected'}`,
    'see docs/reference/injection.md for the annotations of injection',
  ),
  'proxy-outlives-job': warning(
    message`the proxy goes on running when the containers of this pod have ended: the pod never completes`,
    'use a native sidecar: the annotation sidecar.mesh.io/nativeSidecar: "true", or nativeSidecars of the mesh configuration; or have the application send POST /quitquitquit to the status port',
  ),
  'unknown-injection-template': error(
    message`there is no injection template "${'name'}"; there are ${'names'}`,
    'correct inject.mesh.io/templates, or give the template by --injectionTemplate NAME=FILE',
  ),
  'uninjectable-pod': error(
    message`the pod can't get a proxy: ${'problem'}`,
    'change the pod, or opt it out of injection by the label sidecar.mesh.io/inject: "false"',
  ),
};
