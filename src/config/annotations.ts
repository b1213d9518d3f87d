import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { byOurKeys } from '../policy/alias.ts';
import { isHostAndPort } from './address.ts';
import type { SettingsDraft } from './draft.ts';
import type { SettingOrigin } from './settings.ts';
import { parseInteger } from './variable.ts';

/** The annotation that holds a ProxyConfig document. */
export const configAnnotation = 'proxy.mesh.io/config';

const discoveryAnnotation = 'sidecar.mesh.io/discoveryAddress';
const statusPortAnnotation = 'status.sidecar.mesh.io/port';

/** Annotations by our names for their keys: those of Istio mean the same. */
export function withOurNames(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return byOurKeys(annotations);
}

/** Lays the annotations that hold one setting each over the draft. */
export function applyAnnotations(
  draft: SettingsDraft,
  annotations: Readonly<Record<string, string>>,
  bag: DiagnosticBag,
): void {
  const { [discoveryAnnotation]: discovery, [statusPortAnnotation]: statusPort } = annotations;
  if (discovery !== undefined) {
    if (isHostAndPort(discovery)) draft.setProxy('discoveryAddress', discovery, originOf(discoveryAnnotation));
    else refuse('discoveryAddress', discovery, discoveryAnnotation, 'host:port', bag);
  }
  if (statusPort !== undefined) {
    const port = parseInteger(statusPort);
    if (port.ok && port.value >= 0 && port.value <= 65_535)
      draft.setProxy('statusPort', port.value, originOf(statusPortAnnotation));
    else refuse('statusPort', statusPort, statusPortAnnotation, 'a port from 0 to 65535', bag);
  }
}

function originOf(annotation: string): SettingOrigin {
  return { source: 'annotation', detail: `annotation ${annotation}` };
}

function refuse(name: string, value: string, annotation: string, expected: string, bag: DiagnosticBag): void {
  const { detail } = originOf(annotation);
  bag.report('invalid-proxy-setting', undefined, { name, value, origin: detail, expected });
}
