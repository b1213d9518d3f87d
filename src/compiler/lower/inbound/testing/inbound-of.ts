import { defaultSettings } from '../../../../config/defaults.ts';
import type { Settings } from '../../../../config/settings.ts';
import { DiagnosticBag } from '../../../../diagnostics/bag.ts';
import type { TrafficBlocks } from '../../../../policy/destination-rule.ts';
import {
  clientScope,
  effective,
  effectiveOutbound,
  inboundModes,
  meshService,
  meshWorkload,
  ports,
} from '../../../../testing/topology.ts';
import type { InboundIR } from '../../../ir/proxy.ts';
import type { EffectiveInbound } from '../../../merge/effective.ts';
import type { Workload } from '../../../topology/model.ts';
import { Memo } from '../../memo.ts';
import { lowerInbound } from '../inbound.ts';

/** The workload `a/httpbin-1` behind one service, and what decides its inbound side. */
export interface Options {
  readonly modes?: EffectiveInbound;
  readonly settings?: Partial<Settings>;
  readonly servicePorts?: readonly string[];
  readonly rule?: TrafficBlocks;
  readonly workload?: Partial<Workload>;
}

/** Lowers the inbound side of that workload. */
export function inboundOf({
  modes = inboundModes('PERMISSIVE'),
  settings,
  servicePorts,
  rule,
  workload,
}: Options = {}): InboundIR {
  const service = meshService('a/httpbin', { ports: ports(...(servicePorts ?? ['8000/http'])) });
  const lowering = { settings: { ...defaultSettings, ...settings }, memo: new Memo() };
  const answers = effective([effectiveOutbound(service, rule)], modes);
  const scope = clientScope({ namespace: 'a' });
  return lowerInbound(meshWorkload('a/httpbin-1', [service], workload), scope, answers, lowering, new DiagnosticBag());
}
