/** The file with the settings of a folder (`.meshpol.yaml`): no input of any program. */
export const projectFileName = '.meshpol.yaml';

/** Whether a path is that of such a file. */
export function isProjectFile(path: string): boolean {
  return path === projectFileName || path.endsWith(`/${projectFileName}`);
}
