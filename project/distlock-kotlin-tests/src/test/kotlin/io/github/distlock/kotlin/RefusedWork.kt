package io.github.distlock.kotlin

import io.github.distlock.DistributedLock
import io.github.distlock.OnFailure
import kotlinx.coroutines.Job
import java.util.concurrent.CompletableFuture

/** Has no annotation of Spring, so the compiler plugin does not open it. */
class FinalWork {

    @DistributedLock("'final'")
    suspend fun run() {
        // Never called.
    }

}

/** Returns before its work is done. */
open class UnawaitedWork {

    @DistributedLock("'unawaited'")
    open suspend fun run(): CompletableFuture<String> = CompletableFuture()

}

/** A coroutine does the work, and its end is not the result. */
open class LaunchedWork {

    @DistributedLock("'launched'")
    open fun run(): Job = Job()

}

/** A skipped call would return null. */
open class NonNullWork {

    @DistributedLock("'non-null'", onFailure = OnFailure.SKIP)
    open suspend fun run(): Int = 1

}
