package io.github.distlock.kotlin

import io.github.distlock.DistributedLock
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
