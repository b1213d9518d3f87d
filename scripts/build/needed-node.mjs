// Which Node the programs and the scripts need. Part of the programs: whatever Node they are started with runs this.

/** Whether a version comes before a release, such as `22.19`. */
export function isOlder(version, release) {
  const [major, minor] = version.split('.').map(Number);
  const [neededMajor, neededMinor] = release.split('.').map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

/** Ends the program with 3 and one line where this Node is older than the release. */
export function endOnOlderNode(release, program, advice) {
  if (!isOlder(process.versions.node, release)) return;
  const found = `${process.versions.node} (${process.execPath})`;
  process.stderr.write(`${program}: Node ${release} or newer is needed, and this is ${found}: ${advice}\n`);
  process.exit(3);
}
