/** Under this name, among the versions that a client has, stands the position of its resources in its first request. */
export const positionName = 'mesh.discovery.v1.position';

/** The version of a response with the position of what it is made from, in the field that is for people to read. */
export function withPosition(version: string, position: string | undefined): string {
  return position === undefined ? version : `${version} ${position}`;
}

/** The position in the version of a response; undefined: there is none. */
export function positionIn(systemVersion: string): string | undefined {
  return /^\S* (\S+)$/.exec(systemVersion)?.[1];
}
