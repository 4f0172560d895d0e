import type { BugTask } from './bug-result.ts';
import { searchBug } from './search-bug.ts';

// The program of a process that searches one bug after the other.

process.on('message', (task: BugTask) => {
  searchBug(task).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
