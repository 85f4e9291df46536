package io.github.distlock.kotlin

import io.github.distlock.DistributedLock
import io.github.distlock.OnFailure
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

/** A skipped call would return null. */
open class NonNullWork {

    @DistributedLock("'non-null'", onFailure = OnFailure.SKIP)
    open suspend fun run(): Int = 1

}
