let turns = 0;

/** Never returns. */
export function spin(): void {
  while (turns >= 0) {
    turns = (turns + 1) % 1000;
  }
}
