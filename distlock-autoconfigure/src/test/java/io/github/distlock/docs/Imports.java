package io.github.distlock.docs;

/**
 * The imports of examples that have none of their own.
 */
final class Imports {

	/** In one line, so that the lines of an example keep their numbers. */
	static final String TEXT = """
			io.github.distlock.*
			io.github.distlock.contract.*
			io.github.distlock.docs.examples.*
			io.github.distlock.observation.*
			io.github.distlock.test.*
			java.lang.annotation.ElementType
			java.lang.annotation.Retention
			java.lang.annotation.RetentionPolicy
			java.lang.annotation.Target
			java.math.BigDecimal
			java.security.Principal
			java.time.*
			java.util.*
			java.util.concurrent.*
			java.util.concurrent.locks.Lock
			java.util.function.*
			java.util.stream.*
			io.micrometer.observation.ObservationPredicate
			jakarta.persistence.Entity
			jakarta.persistence.EntityManager
			jakarta.persistence.Id
			jakarta.persistence.Version
			org.apache.curator.framework.CuratorFramework
			org.apache.curator.framework.CuratorFrameworkFactory
			org.apache.curator.framework.api.ACLProvider
			org.apache.curator.retry.RetryNTimes
			org.apache.zookeeper.ZooDefs
			org.apache.zookeeper.data.ACL
			net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock
			net.javacrumbs.shedlock.spring.annotation.SchedulerLock
			org.junit.jupiter.api.Test
			org.springframework.aot.hint.MemberCategory
			org.springframework.aot.hint.annotation.RegisterReflection
			org.springframework.beans.factory.annotation.Autowired
			org.springframework.beans.factory.annotation.Qualifier
			org.springframework.boot.SpringApplication
			org.springframework.boot.autoconfigure.SpringBootApplication
			org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest
			org.springframework.boot.test.context.SpringBootTest
			org.springframework.cache.annotation.Cacheable
			org.springframework.context.annotation.Bean
			org.springframework.context.annotation.Configuration
			org.springframework.context.annotation.Primary
			org.springframework.context.event.EventListener
			org.springframework.dao.OptimisticLockingFailureException
			org.springframework.data.redis.connection.RedisConnectionFactory
			org.springframework.http.HttpStatus
			org.springframework.http.ProblemDetail
			org.springframework.http.ResponseEntity
			org.springframework.jdbc.core.JdbcTemplate
			org.springframework.resilience.annotation.Retryable
			org.springframework.scheduling.annotation.Async
			org.springframework.scheduling.annotation.EnableScheduling
			org.springframework.scheduling.annotation.Scheduled
			org.springframework.security.config.Customizer
			org.springframework.security.config.annotation.web.builders.HttpSecurity
			org.springframework.security.web.SecurityFilterChain
			org.springframework.stereotype.Component
			org.springframework.stereotype.Repository
			org.springframework.stereotype.Service
			org.springframework.test.context.bean.override.mockito.MockitoBean
			org.springframework.transaction.annotation.EnableTransactionManagement
			org.springframework.transaction.annotation.Transactional
			org.springframework.transaction.event.TransactionalEventListener
			org.springframework.transaction.support.TransactionTemplate
			org.springframework.web.bind.annotation.*
			org.springframework.web.server.ResponseStatusException
			reactor.core.publisher.Flux
			reactor.core.publisher.Mono
			static java.nio.charset.StandardCharsets.UTF_8
			static org.assertj.core.api.Assertions.*
			static org.mockito.BDDMockito.*
			""".lines().map((name) -> " import " + name + ";").reduce("", String::concat);

	private Imports() {
	}

}
