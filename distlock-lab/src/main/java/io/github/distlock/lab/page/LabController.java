package io.github.distlock.lab.page;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;

import io.github.distlock.lab.runs.Catalogue;
import io.github.distlock.lab.runs.Fault;
import io.github.distlock.lab.runs.RunRefusedException;
import io.github.distlock.lab.runs.Runs;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.http.ContentDisposition;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * The lab over HTTP.
 */
@RestController
@RequestMapping("/lab")
class LabController {

	private static final String LATEST = "latest";

	private static final Map<String, Fault> BY_HAND = Map.of("crash", Fault.CRASH, "pause", Fault.PAUSE);

	private final Runs runs;

	private final Catalogue strategies;

	private final List<Setup.Choice> choices;

	private final List<String> nodes;

	private final List<URI> addresses;

	private final EventLog log;

	private final EventStreams streams;

	private final RunFiles files;

	LabController(LabSettings settings, EventLog log, EventStreams streams, RunFiles files) {
		this.runs = settings.runs();
		this.strategies = settings.strategies();
		this.choices = Setup.choices(settings.strategies());
		this.nodes = settings.records().keySet().stream().sorted().toList();
		this.addresses = settings.nodes();
		this.log = log;
		this.streams = streams;
		this.files = files;
	}

	@GetMapping("/setup")
	Setup setup() {
		return Setup.of(this.choices, this.nodes, this.addresses, this.runs);
	}

	@PostMapping(path = "/runs", consumes = MediaType.APPLICATION_JSON_VALUE)
	@ResponseStatus(HttpStatus.ACCEPTED)
	Map<String, String> start(@RequestBody JsonNode form) {
		return Map.of("run", this.runs.start(RunForm.read(form, this.strategies)).id());
	}

	@DeleteMapping("/runs/current")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void stop() {
		if (!this.runs.stop()) {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND, "No run is in progress");
		}
	}

	@PostMapping("/nodes/{node}/{fault}")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void strike(@PathVariable String node, @PathVariable String fault) throws IOException, InterruptedException {
		Fault kind = BY_HAND.get(fault);
		if (kind == null || !this.nodes.contains(node)) {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND,
					"There is no '%s' for '%s': use one of %s for one of %s".formatted(fault, node, BY_HAND.keySet(),
							this.nodes));
		}
		this.runs.strike(node, kind);
	}

	@GetMapping("/runs/{run}")
	ResponseEntity<Resource> record(@PathVariable String run) {
		EventLog.Batch current = this.log.all();
		String name = run.equals(LATEST) ? current.run() : run;
		Resource body = (!name.isEmpty() && name.equals(current.run()))
				? new ByteArrayResource(
						RunFiles.json(current.events()).getBytes(java.nio.charset.StandardCharsets.UTF_8))
				: new FileSystemResource(this.files.find(name)
					.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND,
							"There is no record of run '%s': only those of the last %d runs are kept".formatted(run,
									RunFiles.KEPT))));
		return ResponseEntity.ok()
			.contentType(MediaType.APPLICATION_JSON)
			.header(HttpHeaders.CONTENT_DISPOSITION,
					ContentDisposition.attachment().filename("distlock-lab-%s.json".formatted(name)).build().toString())
			.body(body);
	}

	@GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	ResponseEntity<SseEmitter> events(
			@RequestHeader(name = "Last-Event-ID", required = false) @Nullable String lastEventId) {
		return ResponseEntity.ok()
			.cacheControl(CacheControl.noStore())
			.body(this.streams.open(EventLog.Position.parse(lastEventId)));
	}

	@ExceptionHandler
	ProblemDetail invalid(RunForm.InvalidFieldException ex) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, ex.getMessage());
		problem.setProperty("field", ex.field());
		return problem;
	}

	@ExceptionHandler
	ProblemDetail refused(RunRefusedException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, ex.getMessage());
	}

	@ExceptionHandler
	ProblemDetail tooManyPages(RejectedExecutionException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE,
				"Too many pages are open: close some of them");
	}

}
