import { fragmentJson, type Locate } from '../../compiler/render/origins-json.ts';
import type { EnvoyConfig } from '../../compiler/render/resource.ts';
import { nameOf } from '../../compiler/topology/object-name.ts';
import type { Diagnostic } from '../../diagnostics/bag.ts';
import type { FleetFault, ProxyOutcome } from '../../live/fleet-outcome.ts';
import { type MissingDestinations, type MissingRows, missingRows } from '../../live/missing-rows.ts';
import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import { debugFormat, type FaultRow, type WhyAnswer } from './answers.ts';

const lists = Object.keys(configurationTypes) as readonly ConfigurationList[];

/** The origins of a proxy's resources: of those with this name, or of all that an object decided. */
export function whyOf(
  of: Pick<WhyAnswer, 'proxy' | 'commit'>,
  outcome: ProxyOutcome,
  name: string | undefined,
  locate: Locate,
  missing: MissingDestinations,
): WhyAnswer {
  const config = 'config' in outcome ? outcome.config : outcome.frozen;
  const resources = lists.flatMap((list) =>
    config[list]
      .filter((resource) => (name === undefined ? resource.origins.length > 0 : resource.name === name))
      .map((resource) => ({
        ...{ list, name: resource.name },
        fragments: resource.origins.map((origin) => fragmentJson(origin, locate)),
      })),
  );
  const state = 'config' in outcome ? 'current' : outcome.isDenying ? 'denying' : 'frozen';
  return {
    format: debugFormat,
    ...of,
    state,
    faults: outcome.faults.map((fault) => faultRow(fault, locate)),
    ...('config' in outcome && missing.length > 0 && { missing: missingOf(outcome.config, missing, locate) }),
    resources,
  };
}

/** Those whose VirtualService decided something of the configuration. */
function missingOf(config: EnvoyConfig, missing: MissingDestinations, locate: Locate): MissingRows {
  const deciding = new Set(
    lists.flatMap((list) =>
      config[list].flatMap(({ origins }) =>
        origins.flatMap(({ decidedBy }) => decidedBy.filter(({ kind }) => kind === 'VirtualService').map(nameOf)),
      ),
    ),
  );
  const own = missing.filter(({ virtualService }) => deciding.has(nameOf(virtualService)));
  return missingRows(own, () => locate);
}

function faultRow({ object, file, line, heldSince, errors }: FleetFault, locate: Locate): FaultRow {
  return {
    object: object && `${object.kind}/${object.namespace}/${object.name}`,
    ...{ file, line, isHeld: heldSince !== undefined },
    errors: errors.map((error) => errorText(error, locate)),
  };
}

/** An error in the compiler's form: place and message. */
export function errorText({ span, message }: Diagnostic, locate: Locate): string {
  const at = span && locate(span);
  return span === undefined || at === undefined ? message : `${span.file}:${at.line}:${at.column}: ${message}`;
}
