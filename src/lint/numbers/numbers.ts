import { authorizationNumbers } from './authorization.ts';
import type { NumberWithoutRule } from './entry.ts';
import { mutualTlsNumbers } from './mutual-tls.ts';
import { objectNumbers } from './objects.ts';
import { outputAndSettingNumbers } from './output-and-settings.ts';
import { tokenAndRouteNumbers } from './tokens-and-routes.ts';

/** Every number of the catalogue that has no rule, sorted. */
export const numbersWithoutRule: readonly NumberWithoutRule[] = [
  ...[...objectNumbers, ...mutualTlsNumbers, ...authorizationNumbers],
  ...[...tokenAndRouteNumbers, ...outputAndSettingNumbers],
].sort((a, b) => (a.id < b.id ? -1 : 1));
