import type { LocalityLoadBalancing } from '../../policy/destination-rule.ts';
import type { JsonObject } from '../../source/document.ts';
import type { Report } from '../rule.ts';
import { checkLocalityLoadBalancing } from './locality.ts';

/** What the schema of the mesh configuration cannot say. */
export function checkMeshConfig({ localityLbSetting }: JsonObject, report: Report): void {
  if (!localityLbSetting) return;
  checkLocalityLoadBalancing(localityLbSetting as LocalityLoadBalancing, ['localityLbSetting'], report);
}
