import { type AdminClient, type ConfigState, readVersions, readWarming } from '../admin.ts';

/** All that is in force. */
export async function readConfigState(admin: AdminClient): Promise<ConfigState> {
  const versions = await readVersions(admin);
  return { versions, ...(await readWarming(admin)) };
}
