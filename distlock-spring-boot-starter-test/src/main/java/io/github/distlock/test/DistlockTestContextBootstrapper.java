package io.github.distlock.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/**
 * Bootstrapper for {@link DistlockTest @DistlockTest}.
 */
class DistlockTestContextBootstrapper extends TestSliceTestContextBootstrapper<DistlockTest> {

}
