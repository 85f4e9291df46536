package io.github.distlock.test.shop;

import io.github.distlock.test.DistlockTest;
import io.github.distlock.test.TestLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A mock instead of a locked bean is allowed.
 */
@DistlockTest(properties = "distlock.mocked=only-here")
@ExtendWith(OutputCaptureExtension.class)
@DirtiesContext
class MockedServiceTests {

	@MockitoBean
	private StockService stock;

	@Autowired
	private TestLocks locks;

	@Test
	void aMockLocksNothingAndCausesNoWarning(CapturedOutput output) {
		assertThat(this.stock.deduct("42")).isZero();
		assertThat(this.locks.acquired()).isEmpty();
		assertThat(output.getAll()).doesNotContain("run without a lock", "runs without its locks");
	}

}
