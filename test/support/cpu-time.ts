// CPU time of this process; on Linux also of the processes that it started and that have ended.
import { readFileSync } from 'node:fs';

const TICK_MS = 10;

export function cpuTimeMs(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
  // proc_pid_stat(5): fields 14 to 17, counted after the name in parentheses.
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
  const ticks = fields.split(' ').slice(11, 15).map(Number);
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MS;
}
