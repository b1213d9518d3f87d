/** Whether there is a process of this id, a zombie included. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH: nobody has this id any more.
    return false;
  }
}
