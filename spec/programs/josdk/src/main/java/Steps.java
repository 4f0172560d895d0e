import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Steps of a program: each prints one line, and a failed one does not stop the others. */
final class Steps {
  static final String NAMESPACE = System.getenv("PROGRAM_NAMESPACE");
  static final String GROUP = NAMESPACE + ".example.com";
  private static final long LIMIT_SECONDS = 60;
  private static final ExecutorService RUNNER = Executors.newCachedThreadPool();

  interface Check {
    void run() throws Exception;
  }

  static void step(String name, Check check) {
    var running = RUNNER.submit((Callable<Void>) () -> {
      check.run();
      return null;
    });
    try {
      running.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      System.out.println("STEP ok " + name);
    } catch (ExecutionException error) {
      failed(name, error.getCause());
    } catch (Exception error) {
      running.cancel(true);
      failed(name, error);
    }
  }

  static void expect(boolean holds, Object value) {
    if (!holds) {
      throw new IllegalStateException("does not hold: " + value);
    }
  }

  static void eventually(String what, Callable<Boolean> holds) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!holds.call()) {
      expect(System.nanoTime() < end, "not in time: " + what);
      Thread.sleep(50);
    }
  }

  static void end() {
    System.out.println("STEP end");
    System.out.flush();
    System.exit(0);
  }

  private static void failed(String name, Throwable error) {
    var cause = error.getCause() == null ? "" : " because of " + error.getCause();
    System.out.println("STEP failed " + name + ": " + (error + cause).replaceAll("\\s+", " "));
  }

  private Steps() {}
}
