package io.github.distlock.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/**
 * Starts a {@link DistlockTest @DistlockTest}.
 */
class DistlockTestContextBootstrapper extends TestSliceTestContextBootstrapper<DistlockTest> {

}
