package io.github.distlock.docs;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.autoconfigure.DistlockAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockJdbcAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pool for the locks of the page about databases, beside the DataSource that Spring
 * Boot configures.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockPoolPageTests {

	private static final String PAGE = "docs/stores-jdbc.md";

	private static final String CONFIGURATION = "pages.docs_stores_jdbc.examples.LockPoolConfiguration";

	@Test
	void theApplicationKeepsItsDataSourceAndTheLocksGetAPoolOfTheirOwn(@TempDir Path folder, CapturedOutput output)
			throws Exception {
		List<CodeBlock> blocks = Pages.blocks(PAGE, Pages.text(PAGE))
			.stream()
			.filter((block) -> block.language().equals("java"))
			.toList();
		assertThat(JavaBlocks.errors(blocks, folder)).isEmpty();
		try (URLClassLoader classes = new URLClassLoader(new URL[] { folder.resolve("0").toUri().toURL() },
				getClass().getClassLoader())) {
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
						DistlockAutoConfiguration.class, DistlockJdbcAutoConfiguration.class))
				.withUserConfiguration(ClassUtils.resolveClassName(CONFIGURATION, classes))
				.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
						"spring.datasource.type=" + SimpleDriverDataSource.class.getName(), "distlock.backend=jdbc",
						"distlock.jdbc.data-source=lockDataSource")
				.run((started) -> {
					assertThat(started).hasNotFailed().hasBean("lockDataSource");
					DataSource application = started.getBean(DataSource.class);
					assertThat(application).isNotInstanceOf(HikariDataSource.class);
					try (HeldLock lock = started.getBean(LockRegistry.class).acquire(LockRequest.of("order-1"))) {
						assertThat(new JdbcTemplate(application).queryForObject("SELECT COUNT(*) FROM distlock_lock",
								Integer.class))
							.isOne();
					}
					assertThat(output).doesNotContain("come to a standstill");
				});
		}
	}

}
