import { ownControllers } from '../../../policy/gateway-controllers.ts';
import { isFalse, isTrue, type StandardStatus } from './standard-status.ts';
import { fieldOf, isWithin, type StandardSubject, textOf } from './standard-subject.ts';

/** The status of a GatewayClass; undefined: its Gateways are served by another program. */
export function classStatus({ value, errors }: StandardSubject): StandardStatus | undefined {
  const controller = fieldOf(value, 'spec', 'controllerName');
  if (typeof controller !== 'string' || !ownControllers.has(controller)) return undefined;
  if (errors.length === 0) {
    return { conditions: [isTrue('Accepted', 'Accepted', 'Gateways of the class are served')] };
  }
  const isOfParameters = errors.some(({ path }) => isWithin(path, 'spec', 'parametersRef'));
  return { conditions: [isFalse('Accepted', isOfParameters ? 'InvalidParameters' : 'Unsupported', textOf(errors))] };
}
