package io.github.distlock.backend.redis;

import java.util.List;
import java.util.function.Predicate;

/**
 * A native command that may release a lock in place of the script.
 *
 * @param args the arguments of {@code SET}
 * @param refusal whether a failure says that the server has not executed the command
 * @param withdrawal runs if the server has refused it, or has found another value
 * @param failure runs if it is not known whether it was executed
 */
record NativeRelease(List<String> args, Predicate<Throwable> refusal, Runnable withdrawal, Runnable failure) {
}
