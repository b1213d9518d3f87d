import type { LocalityLoadBalancing } from '../../policy/destination-rule.ts';
import type { JsonObject } from '../../source/document.ts';
import type { Report } from '../rule.ts';
import { checkAccessLog } from './access-log.ts';
import { checkExtensionProviders } from './extension-providers.ts';
import { checkLocalityLoadBalancing } from './locality.ts';

/** What the schema of the mesh configuration cannot say. */
export function checkMeshConfig(config: JsonObject, report: Report): void {
  checkAccessLog(config, report);
  checkExtensionProviders(config, report);
  const { localityLbSetting } = config;
  if (!localityLbSetting) return;
  checkLocalityLoadBalancing(localityLbSetting as LocalityLoadBalancing, ['localityLbSetting'], report);
}
