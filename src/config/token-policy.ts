import { oneOf, type ParsedVariable } from './variable.ts';

/** Which token authenticates a signing request; `none`: certificates of files alone. */
export type TokenPolicy = 'third-party-jwt' | 'first-party-jwt' | 'none';

/** Reads JWT_POLICY, which says to the agent what it sends and to meshd what it takes. */
export const parseTokenPolicy: (text: string) => ParsedVariable<TokenPolicy> = oneOf({
  'third-party-jwt': 'third-party-jwt',
  'first-party-jwt': 'first-party-jwt',
  none: 'none',
});
