import { defaultSettings } from '../../../../config/defaults.ts';
import type { Settings } from '../../../../config/settings.ts';
import { DiagnosticBag } from '../../../../diagnostics/bag.ts';
import { clientScope, effectiveOutbound } from '../../../../testing/topology.ts';
import type { ClientScope, EffectiveOutbound } from '../../../merge/effective.ts';
import type { EffectiveVirtualService } from '../../../merge/effective-virtual-service.ts';
import type { Service } from '../../../topology/model.ts';
import { Memo } from '../../memo.ts';
import { lowerOutbound } from '../outbound.ts';

interface Options {
  readonly settings?: Partial<Settings>;
  readonly scope?: Partial<ClientScope>;
  readonly virtualServices?: readonly EffectiveVirtualService[];
  readonly memo?: Memo;
}

/**
 * Lowers what a client sees of services; of each diagnostic its code, and its message. Calls with one `memo` share what
 * they may.
 */
export function outboundOf(services: readonly (Service | EffectiveOutbound)[], options: Options = {}) {
  const bag = new DiagnosticBag();
  const outbounds = services.map((service) => ('subsets' in service ? service : effectiveOutbound(service)));
  const settings = options.settings === undefined ? defaultSettings : { ...defaultSettings, ...options.settings };
  const lowering = { settings, memo: options.memo ?? new Memo() };
  const outbound = lowerOutbound(
    { scope: clientScope(options.scope), services: outbounds, virtualServices: options.virtualServices ?? [] },
    lowering,
    bag,
  );
  return { ...outbound, codes: bag.all.map(({ code }) => code), messages: bag.all.map(({ message }) => message) };
}
