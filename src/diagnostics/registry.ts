import { compilerCodes } from './catalogue/compiler.ts';
import { configCodes } from './catalogue/config.ts';
import { fieldCodes } from './catalogue/field.ts';
import { gatewayCodes } from './catalogue/gateway.ts';
import { gatewayApiCodes } from './catalogue/gateway-api.ts';
import { injectionCodes } from './catalogue/injection.ts';
import { policyCodes } from './catalogue/policy.ts';
import { sourceCodes } from './catalogue/source.ts';
import { topologyCodes } from './catalogue/topology.ts';
import { verifyCodes } from './catalogue/verify.ts';

export type Severity = 'error' | 'warning' | 'info';

/** Every code of the product. */
export const registry = {
  ...sourceCodes,
  ...fieldCodes,
  ...policyCodes,
  ...topologyCodes,
  ...configCodes,
  ...compilerCodes,
  ...gatewayCodes,
  ...gatewayApiCodes,
  ...injectionCodes,
  ...verifyCodes,
};

export type DiagnosticCode = keyof typeof registry;

/** The holes that a code's message wants. */
export type HolesOf<C extends DiagnosticCode> = Parameters<(typeof registry)[C]['message']>[0];
