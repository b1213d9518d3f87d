import type { Compiler } from '../compiler/compile.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { aliases, groupAlias } from '../policy/alias.ts';
import { standardGroup } from '../policy/gateway-api.ts';
import type { Fault } from './last-valid.ts';

/**
 * Kinds that add hosts, routes and workloads. All others may take something away: access, plaintext, destinations. Without an
 * object of those a mesh would be open where it was meant to be closed.
 */
const addingKinds: ReadonlySet<string> = new Set([
  ...['Gateway', 'VirtualService', 'ServiceEntry', 'WorkloadEntry', 'WorkloadGroup', 'ProxyConfig'],
  ...['HTTPRoute', 'GRPCRoute', 'TLSRoute'],
]);
const addingGroups: ReadonlySet<string> = new Set([aliases.groups['networking.istio.io'], standardGroup]);

/**
 * Whether an object that was never good counts as absent where invalid custom resources are left out
 * (PILOT_ENABLE_CRD_VALIDATION): one that is invalid by itself, and whose kind takes nothing away.
 */
export function isLeftOut({ object, texts, isHeld, file }: Fault, compiler: Compiler): boolean {
  const [written] = texts;
  if (isHeld || object === undefined || written === undefined || !addingKinds.has(object.kind)) return false;
  if (!addingGroups.has(groupAlias(String(written.apiVersion).split('/')[0] ?? ''))) return false;
  const bag = new DiagnosticBag();
  compiler.read([{ path: file, text: JSON.stringify(written) }], bag);
  return bag.hasErrors;
}
